export { killGroup, signalGroup, watchGroup } from './process-groups.ts'
