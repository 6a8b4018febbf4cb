export { Wire } from './wire.tsx'
