package org.rowlock.examples.shop;

/**
 * The books of one product.
 *
 * @param product the number of the product
 * @param initial how much there was at first
 * @param available how much there is
 * @param ordered how much is in orders that are not cancelled
 */
public record StockView(long product, int initial, int available, int ordered) {}
