export type {
  Dialect as Format,
  DialectFrame as Frame,
  DialectOpening as FormatOpening,
  DialectReader as FrameReader,
  DialectWriter as FrameWriter,
  StreamEnd,
} from '../../telling/index.ts'
