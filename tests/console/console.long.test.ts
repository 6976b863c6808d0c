import './console.all.test.ts'
