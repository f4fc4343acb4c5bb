package org.rowlock.spring.shop;

import org.rowlock.spring.CountableLocks;
import org.rowlock.spring.EnableRowLocks;
import org.rowlock.spring.RowLock;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The application class. */
@EnableAutoConfiguration
@EnableRowLocks
@Import({CountableLocks.class, Shop.Shipping.class})
class Shop {

    /** Ships ordered pieces, one at a time. */
    @Service
    static class Shipping {
        private final OrderLines lines;

        Shipping(OrderLines lines) {
            this.lines = lines;
        }

        @Transactional
        public int ship(@RowLock(entity = OrderLine.class) long lineId, Runnable between) {
            OrderLine line = lines.findById(lineId).orElseThrow();
            int amount = line.shippedAmount;
            between.run();
            line.shippedAmount = amount + 1;
            return line.shippedAmount;
        }
    }
}
