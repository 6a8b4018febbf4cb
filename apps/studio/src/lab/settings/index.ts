export { chunkings, cutText, isChunkingKind, traitsOf } from './chunking.ts'
export type { Chunking } from './chunking.ts'
export { examples, findExample } from './examples.ts'
export type { Example } from './examples.ts'
export { formatKinds, isFormatKind, jsonProviders, presetNames, toNames } from './format-choice.ts'
export type { FormatKind, LabFormat } from './format-choice.ts'
export {
  decodeLabAddress,
  encodeLabAddress,
  exampleOf,
  hasView,
  toSettings,
} from './lab-address.ts'
export type { LabView } from './lab-address.ts'
export {
  MAX_TEXT_LENGTH,
  defaultSwitches,
  switchNames,
  switches,
  toParserOptions,
  withSwitch,
} from './lab-settings.ts'
export type { LabPlace, LabSettings } from './lab-settings.ts'
export { createRandomNumbers } from './random-numbers.ts'
