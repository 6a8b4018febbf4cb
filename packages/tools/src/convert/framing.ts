import { encodeSse, type SseFrame } from 'millrace'

/** Writes one message so that it can be told from the next. */
export type Framing = (frame: SseFrame) => string

/** Server-sent events. */
export const sseFraming: Framing = encodeSse

/** The data of one message a line; JSON has no line ends. */
export const lineFraming: Framing = ({ data = '' }) => `${data}\n`
