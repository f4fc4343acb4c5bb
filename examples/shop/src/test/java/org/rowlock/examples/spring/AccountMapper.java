package org.rowlock.examples.spring;

import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;

interface AccountMapper {
    // snippet: before
    @Select("select balance from account where id = #{id} for update")
    long balanceForUpdate(@Param("id") long id);
    // end

    // snippet: after
    @Select("select balance from account where id = #{id}")
    long balance(@Param("id") long id);
    // end

    @Update("update account set balance = #{balance} where id = #{id}")
    int write(@Param("id") long id, @Param("balance") long balance);
}
