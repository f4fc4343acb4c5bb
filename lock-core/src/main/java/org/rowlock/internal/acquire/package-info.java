/**
 * Taking the locks of a call: by a script, handed over from the session, or in turn for a claim.
 */
@NullMarked
package org.rowlock.internal.acquire;

import org.jspecify.annotations.NullMarked;
