/**
 * Clients of the shop: {@link org.rowlock.examples.shop.load.ShopLoad} puts it under load, and
 * {@link org.rowlock.examples.shop.load.RollingChange} changes the strategy of running instances meanwhile. Both check
 * the books at the end.
 */
@NullMarked
package org.rowlock.examples.shop.load;

import org.jspecify.annotations.NullMarked;
