export { type Mill, type MillOptions, openMill } from './open-mill.ts'
