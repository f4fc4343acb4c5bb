package org.rowlock.examples.shop;

import java.util.Map;
import java.util.Set;
import org.rowlock.spring.RowLock;
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

    /** For callers who have locked the stock. */
    @Transactional(propagation = Propagation.MANDATORY)
    public void take(Map<Long, Integer> lines) {
        lines.forEach((product, quantity) -> find(product).take(quantity));
    }

    // snippet: putBack
    /** Joins the transaction of the caller, which learns the products only after locking and reading the order. */
    @Transactional(propagation = Propagation.MANDATORY)
    public void putBack(@RowLock("stock") Set<Long> products, Map<Long, Integer> lines) {
        for (Stock each : stock.findAllById(products)) {
            each.putBack(lines.getOrDefault(each.product(), 0));
        }
    }
    // end

    private Stock find(long product) {
        return stock.findById(product).orElseThrow(() -> new NotFoundException("There is no product " + product + "."));
    }
}
