package org.rowlock.spring.libraries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forNoKeyUpdate;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mybatis.spring.SqlSessionFactoryBean;
import org.mybatis.spring.mapper.MapperFactoryBean;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.spring.RowLockTemplate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@Tag("long")
class MyBatisTest extends LibraryContract {
    MyBatisTest() {
        super(Library.class);
    }

    interface Mapper extends AccountStore {
        @Override
        @Select("select balance from account where id = #{id}")
        long balance(@Param("id") long id);

        @Override
        @Update("update account set balance = #{balance} where id = #{id}")
        void setBalance(@Param("id") long id, @Param("balance") long balance);

        @Override
        @Select("select pg_backend_pid()")
        int backend();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatTheSessionReadBeforeTheLockIsReadAgain(boolean byTemplate) throws Exception {
        try (var context = start(LockStrategy.ADVISORY, true)) {
            Mapper mapper = context.getBean(Mapper.class);
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
                assertThat(mapper.balance(1)).isZero();
                try {
                    database.execute("update account set balance = 50 where id = 1");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
                assertThat(mapper.balance(1)).as("what the session has").isZero();
                if (byTemplate) {
                    context.getBean(RowLockTemplate.class).lock(forNoKeyUpdate(LockKey.row("account", 1)));
                    mapper.setBalance(1, mapper.balance(1) + 1);
                } else {
                    context.getBean(AccountService.class).add(1, 1, backend -> {});
                }
            });
            assertThat(mapper.balance(1)).isEqualTo(51);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(JdbcTransactions.class)
    static class Library {
        @Bean
        SqlSessionFactoryBean sqlSessionFactory(DataSource dataSource) {
            SqlSessionFactoryBean factory = new SqlSessionFactoryBean();
            factory.setDataSource(dataSource);
            return factory;
        }

        @Bean
        MapperFactoryBean<Mapper> mapper(SqlSessionFactoryBean sessions) throws Exception {
            MapperFactoryBean<Mapper> mapper = new MapperFactoryBean<>(Mapper.class);
            mapper.setSqlSessionFactory(sessions.getObject());
            return mapper;
        }
    }
}
