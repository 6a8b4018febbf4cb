/** Data of the last frame of a stream. [SSE-5] */
export const DONE_DATA = '[DONE]'

/** The last frame of a stream. It has no id, because it is not part of the log. [SSE-5] */
export const DONE_FRAME = 'data: [DONE]\n\n'

/** A comment that keeps proxies and readers from closing an idle stream. [SSE-3] */
export const HEARTBEAT_FRAME = ': ping\n\n'
