/** The measured server (embedded or the user's own), the network to the server, and the schema of a run. */
@NullMarked
package org.rowlock.jmh.server;

import org.jspecify.annotations.NullMarked;
