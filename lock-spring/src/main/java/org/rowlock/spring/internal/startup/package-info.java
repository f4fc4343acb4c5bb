/**
 * The checks of Rowlock at startup: begin with {@code StartupVerification}. Applications must not use this
 * package: its types are public only for the sibling packages, and change without notice.
 */
@NullMarked
package org.rowlock.spring.internal.startup;

import org.jspecify.annotations.NullMarked;
