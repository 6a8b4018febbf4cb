export { decisionFieldsIn, requestFieldsIn } from './approval-fields.ts'
export type {
  Dialect,
  DialectFrame,
  DialectOpening,
  DialectReader,
  EventDialect,
  EventWriter,
  FrameDialect,
  FrameWriter,
  StreamEnd,
} from './dialect.ts'
export { openDialect } from './open-dialect.ts'
export type { DialectWriter } from './open-dialect.ts'
export { isAnswer, settledStages } from './settled-stages.ts'
