// Together on one database, which takes seconds to make.
import './behaviour/background.ts'
import './behaviour/left-behind.ts'
