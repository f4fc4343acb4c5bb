package org.rowlock.spring.libraries;

import javax.sql.DataSource;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.junit.jupiter.api.Tag;
import org.mybatis.spring.SqlSessionFactoryBean;
import org.mybatis.spring.mapper.MapperFactoryBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

@Tag("long")
class MyBatisTest extends LibraryContract {
    MyBatisTest() {
        super(Library.class);
    }

    interface Mapper {
        @Select("select balance from account where id = #{id}")
        long balance(@Param("id") long id);

        @Update("update account set balance = #{balance} where id = #{id}")
        void setBalance(@Param("id") long id, @Param("balance") long balance);

        @Select("select pg_backend_pid()")
        int backend();
    }

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

        @Bean
        AccountStore store(Mapper mapper) {
            return new AccountStore(mapper::balance, mapper::setBalance, mapper::backend);
        }
    }
}
