import type { Listener } from '../listen/listener.ts'
import type { Admin } from './admin.ts'

/** Opens both listeners, the console first: a gateway that takes requests has everything that it was told to have. */
export async function openBoth(listener: Listener, admin: Admin | undefined): Promise<number> {
  await admin?.open()
  try {
    return await listener.open()
  } catch (error) {
    await admin?.close()
    throw error
  }
}
