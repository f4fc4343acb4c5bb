package org.rowlock.examples.shop;

/**
 * The books of one product.
 *
 * @param product the number of the product
 * @param initial the quantity at the start
 * @param available the quantity that can still be ordered
 * @param ordered the quantity in orders that are not cancelled
 */
public record StockView(long product, int initial, int available, int ordered) {}
