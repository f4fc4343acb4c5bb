package org.rowlock.examples.shop.load;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.rowlock.examples.shop.StockView;

/**
 * Checks the shop's books. If two transactions ever hold the same lock at once, an update is lost, and the books are
 * wrong.
 */
final class ShopBooks {
    private ShopBooks() {}

    /**
     * Compares the shop's books with the answers that its clients got.
     *
     * @param before the books when the clients began
     * @param after the books now, with no client at work
     * @param ledger the answers that the clients got in between
     * @return the faults; empty if there are none
     */
    static List<String> check(List<StockView> before, List<StockView> after, Ledger ledger) {
        List<String> wrong = new ArrayList<>(ledger.failures());
        Map<Long, StockView> old = new HashMap<>();
        before.forEach(each -> old.put(each.product(), each));
        for (StockView now : after) {
            StockView then = old.remove(now.product());
            if (then == null) {
                wrong.add("Product " + now.product() + " is new.");
                continue;
            }
            if (now.available() < 0) {
                wrong.add("Product " + now.product() + " is below zero: " + now.available() + ".");
            }
            if (now.available() + now.ordered() != now.initial()) {
                wrong.add("Product " + now.product() + ": " + now.available() + " available and " + now.ordered()
                        + " ordered do not add up to the initial " + now.initial() + "; an update was lost.");
            }
            int ordered = now.ordered() - then.ordered();
            if (ordered != ledger.ordered(now.product())) {
                wrong.add("Product " + now.product() + ": the shop has recorded " + ordered
                        + " ordered since the start, but" + " has confirmed " + ledger.ordered(now.product())
                        + " to its clients.");
            }
        }
        old.keySet().forEach(product -> wrong.add("Product " + product + " is gone."));
        return wrong;
    }

    /** Prints the faults of the books, or the given text if there are none. Returns the exit status. */
    static int report(PrintStream out, List<StockView> before, List<StockView> after, Ledger ledger, String right) {
        List<String> wrong = check(before, after, ledger);
        out.println(ledger + ".");
        wrong.forEach(out::println);
        if (wrong.isEmpty()) {
            out.println(right);
        }
        return wrong.isEmpty() ? 0 : 1;
    }
}
