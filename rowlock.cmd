@echo off
rem The menu of this repository for Windows; it builds what it starts, quietly. A property of the JVM goes into
rem JAVA_TOOL_OPTIONS, because cmd.exe splits -Dname=value at its equals sign.
setlocal
cd /d "%~dp0"
set "java=java"
if defined JAVA_HOME set "java=%JAVA_HOME%\bin\java"
set "rest="
set "url=%~2"
for /f "tokens=1*" %%a in ("%*") do set "rest=%%b"
if "%~1"=="demo" (set "module=examples" & set "main=org.rowlock.examples.Demo" & goto run)
if "%~1"=="example" (set "module=examples" & set "main=org.rowlock.examples.start.StartExample" & goto run)
if "%~1"=="shop" (set "module=examples/shop" & set "main=org.rowlock.examples.shop.ShopApplication" & goto run)
if "%~1"=="shop-load" (set "module=examples/shop" & set "main=org.rowlock.examples.shop.load.ShopLoad" & goto run)
if "%~1"=="shop-rolling" (set "module=examples/shop" & set "main=org.rowlock.examples.shop.load.RollingChange" & goto run)
if "%~1"=="doctor" (set "module=lock-jmh/doctor" & set "jar=doctor" & goto doctor)
if "%~1"=="bench" (set "module=lock-jmh" & set "jar=benchmarks" & goto jar)
if "%~1"=="test" (call mvnw.cmd verify %rest% & exit /b)
echo rowlock demo ^| example NAME ^| shop ^| shop-load ^| shop-rolling ^| doctor URL ^| bench .. ^| test
exit /b 2

:run
call :build compile || exit /b 1
set /p classpath=<"%module%/target/classpath"
"%java%" -cp "%module%/target/classes;%classpath%" %main% %rest%
exit /b

:doctor
if "%url:~0,5%"=="jdbc:" set "rest=--url %rest%"

:jar
call :build package || exit /b 1
"%java%" -jar %module%/target/%jar%.jar %rest%
exit /b

:build
call mvnw.cmd -q -ntp -pl %module% -am %1 -DskipTests -Denforcer.skip -Dspotless.check.skip -Dmaven.javadoc.skip -Dmaven.source.skip
exit /b
