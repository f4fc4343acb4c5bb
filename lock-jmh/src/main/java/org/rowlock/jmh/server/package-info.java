/** The measured server: the user's own or an embedded one, and the schema that exists for a run. */
@NullMarked
package org.rowlock.jmh.server;

import org.jspecify.annotations.NullMarked;
