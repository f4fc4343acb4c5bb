/**
 * The request of one call: distinct keys in their modes, the wait, and which keys need an advisory lock, a row lock or
 * both. This package contains no SQL.
 */
@NullMarked
package org.rowlock.internal.request;

import org.jspecify.annotations.NullMarked;
