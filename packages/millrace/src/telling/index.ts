export { decisionFieldsIn, requestFieldsIn } from './approval-fields.ts'
export type {
  Dialect,
  DialectFrame,
  DialectOpening,
  DialectReader,
  DialectWriter,
  StreamEnd,
} from './dialect.ts'
export { isAnswer, settledStages } from './settled-stages.ts'
export { createTeller } from './teller.ts'
export type { Teller } from './teller.ts'
export { objectsIn, payloadOf } from './told-payload.ts'
export type {
  Telling,
  TellingOf,
  ToldBlock,
  ToldBlockType,
  ToldCall,
  ToldCitation,
  ToldImage,
} from './telling.ts'
