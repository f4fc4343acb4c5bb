/**
 * Clients of the shop: {@link org.rowlock.examples.shop.load.ShopLoad} puts the shop under load, and
 * {@link org.rowlock.examples.shop.load.RollingChange} changes the strategy of instances under load. Both programs
 * check the books at the end.
 */
@NullMarked
package org.rowlock.examples.shop.load;

import org.jspecify.annotations.NullMarked;
