import './init-project.all.test.ts'
