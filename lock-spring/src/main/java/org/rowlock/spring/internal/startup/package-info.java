/**
 * What Rowlock checks at startup and later: start at {@code StartupVerification}.
 * Not for applications: types are public here for the other rooms alone, and change without notice.
 */
@NullMarked
package org.rowlock.spring.internal.startup;

import org.jspecify.annotations.NullMarked;
