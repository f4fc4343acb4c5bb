/**
 * A small Spring Boot service with JPA for orders and stock. {@link org.rowlock.examples.shop.OrderService} is the part
 * to copy.
 */
@NullMarked
package org.rowlock.examples.shop;

import org.jspecify.annotations.NullMarked;
