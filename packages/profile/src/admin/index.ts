export { type AdminBody, type AdminBodyName, type AdminReading, adminBodies, partRecord } from './bodies.ts'
