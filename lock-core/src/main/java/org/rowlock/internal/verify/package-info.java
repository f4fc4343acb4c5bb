/**
 * Verifies that locks exclude each other through the pool, the pooler and the server of an application. Start at {@code
 * LockVerifier}.
 */
@NullMarked
package org.rowlock.internal.verify;

import org.jspecify.annotations.NullMarked;
