package org.rowlock.internal.text;

/**
 * The address of the pages to which messages link, because a user of the jar does not have the docs. A test checks each
 * link.
 */
public final class Docs {
    /** The folder of the pages in the repository. The POM names the same repository. */
    public static final String URL = "https://github.com/rowlock/rowlock/blob/main/docs/";

    private Docs() {}
}
