export { Lab } from './lab.tsx'
