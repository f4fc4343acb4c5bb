/**
 * The end of a transaction: its COMMIT, with the writes that go with it in one flush where that can be
 * ({@code Commit}), what goes around a COMMIT that lets go of the locks early ({@code Ending}), and what a failure says
 * of what is stored ({@code CommitErrors}).
 */
@NullMarked
package org.rowlock.internal.commit;

import org.jspecify.annotations.NullMarked;
