import './redis-faults.all.test.ts'
