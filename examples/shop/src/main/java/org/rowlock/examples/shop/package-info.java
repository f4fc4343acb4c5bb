/**
 * A small Spring Boot service with JPA: orders and stock. What to copy is in
 * {@link org.rowlock.examples.shop.OrderService}; all else is what any such service has.
 */
@NullMarked
package org.rowlock.examples.shop;

import org.jspecify.annotations.NullMarked;
