// One shared database, because creating one takes seconds.
import './behaviour/background.ts'
import './behaviour/left-behind.ts'
