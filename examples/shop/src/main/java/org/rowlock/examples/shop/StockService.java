package org.rowlock.examples.shop;

import java.util.Map;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Changes stock, within the transaction of an order. */
@Service
class StockService {
    private final StockRepository stock;

    StockService(StockRepository stock) {
        this.stock = stock;
    }

    /** Reduces the stock, which the caller has locked. */
    @Transactional(propagation = Propagation.MANDATORY)
    public void take(Map<Long, Integer> lines) {
        lines.forEach((product, quantity) -> find(product).take(quantity));
    }

    /** Puts products back into the stock, which the caller has locked. */
    @Transactional(propagation = Propagation.MANDATORY)
    public void putBack(Map<Long, Integer> lines) {
        stock.findAllById(lines.keySet()).forEach(each -> each.putBack(lines.getOrDefault(each.product(), 0)));
    }

    private Stock find(long product) {
        return stock.findById(product).orElseThrow(() -> new NotFoundException("There is no product " + product + "."));
    }
}
