export type {
  Dialect as Format,
  DialectFrame as Frame,
  DialectOpening as FormatOpening,
  DialectReader as FrameReader,
} from './dialect.ts'
