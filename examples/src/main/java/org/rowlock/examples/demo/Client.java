package org.rowlock.examples.demo;

import java.sql.SQLException;
import java.util.function.BooleanSupplier;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;
import org.apache.commons.rng.simple.RandomSource;

/** One of the threads: moves money between hot accounts, one transfer after the other. */
final class Client {
    /** Of 100 accounts, the hottest takes part in four of ten transfers. */
    private static final double ZIPF_EXPONENT = 1.1;

    private static final int LARGEST_AMOUNT = 100;

    private final TransferService service;
    private final UniformRandomProvider random;
    private final DiscreteSampler accounts;

    Client(TransferService service, long seed) {
        this.service = service;
        this.random = RandomSource.XO_SHI_RO_128_PP.create(seed);
        this.accounts = RejectionInversionZipfSampler.of(random, DemoAccounts.COUNT, ZIPF_EXPONENT);
    }

    ClientLog transferWhile(BooleanSupplier goOn) throws SQLException {
        ClientLog log = new ClientLog();
        while (goOn.getAsBoolean()) {
            Transfer transfer = next();
            log.record(transfer, service.execute(transfer));
        }
        return log;
    }

    private Transfer next() {
        int from = accounts.sample();
        int to = accounts.sample();
        while (to == from) {
            to = accounts.sample();
        }
        return new Transfer(from, to, 1 + random.nextInt(LARGEST_AMOUNT));
    }
}
