/**
 * The end of a transaction: the writes that go with its COMMIT, the COMMIT itself, and what became of it.
 */
@NullMarked
package org.rowlock.internal.commit;

import org.jspecify.annotations.NullMarked;
