package org.rowlock.spring;

import java.util.List;
import java.util.function.Consumer;
import org.springframework.batch.core.JobExecutionException;
import org.springframework.batch.core.JobParameters;
import org.springframework.batch.core.Step;
import org.springframework.batch.core.StepExecution;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.repository.support.ResourcelessJobRepository;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.item.support.ListItemReader;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;

/** A step of Spring Batch 5. Each chunk runs in its own transaction. */
final class BatchStep {
    private BatchStep() {}

    /** Runs a step with one item, the id 1, and throws the exception of the writer. */
    static void run(ApplicationContext context, Consumer<Long> writer) {
        JobRepository repository = new ResourcelessJobRepository();
        Step step = new StepBuilder("lock", repository)
                .<Long, Long>chunk(1, context.getBean(PlatformTransactionManager.class))
                .reader(new ListItemReader<>(List.of(1L)))
                .writer(chunk -> chunk.getItems().forEach(writer))
                .build();
        List<Throwable> failures;
        try {
            StepExecution execution =
                    repository.createJobExecution("job", new JobParameters()).createStepExecution("lock");
            repository.add(execution);
            step.execute(execution);
            failures = execution.getFailureExceptions();
        } catch (JobExecutionException e) {
            throw new IllegalStateException(e);
        }
        for (Throwable failure : failures) {
            throw (RuntimeException) failure;
        }
    }
}
