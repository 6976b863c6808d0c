import './in-folder.all.test.ts'
