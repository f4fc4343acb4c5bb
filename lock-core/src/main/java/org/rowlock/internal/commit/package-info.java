/**
 * The end of a transaction. {@code Commit} sends the COMMIT, in one flush with its writes if possible. {@code Ending}
 * has the statements around a COMMIT that releases the locks early. {@code CommitErrors} decides after a failure
 * whether the transaction is stored.
 */
@NullMarked
package org.rowlock.internal.commit;

import org.jspecify.annotations.NullMarked;
