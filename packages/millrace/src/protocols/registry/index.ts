export { agUi, aiSdk, defaultProtocols, json, raw, segments, xml } from './protocols.ts'
export type { PathOptions } from './protocols.ts'
