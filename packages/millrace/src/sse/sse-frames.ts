/** The data of the frame after which nothing follows. [SSE-5] */
export const DONE_DATA = '[DONE]'

/** The last frame of a stream; it has no id, because it is not a message of the log. [SSE-5] */
export const DONE_FRAME = 'data: [DONE]\n\n'

/** A comment that keeps proxies and readers from giving up on a quiet stream. [SSE-3] */
export const HEARTBEAT_FRAME = ': ping\n\n'
