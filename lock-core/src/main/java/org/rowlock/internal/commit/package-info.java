/**
 * The end of a transaction: the writes that go with its COMMIT, the COMMIT itself, which is the last part of their
 * flush ({@code WriteScript}) or of one of its own ({@code Ending}), and what became of it ({@code CommitErrors}).
 */
@NullMarked
package org.rowlock.internal.commit;

import org.jspecify.annotations.NullMarked;
