import { encodeSse, type SseFrame } from 'millrace'

/** Encodes one frame with its delimiter. */
export type Framing = (frame: SseFrame) => string

/** Server-sent events. */
export const sseFraming: Framing = encodeSse

/** Writes the data of one frame per line; JSON has no line ends. */
export const lineFraming: Framing = ({ data = '' }) => `${data}\n`
