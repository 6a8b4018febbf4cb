/**
 * All codes of a {@link MillraceError}, each with its meaning. The codes are part of the public contract: add rows,
 * never rename one.
 */
export const errorCodes = {
  bad_request: 'The caller sent something that cannot be used as it is.',
  conflict: 'The request contradicts what is already stored.',
  connection_lost: 'The network failed or the server closed the connection.',
  cursor_ahead: 'The reader asked to resume after a message that does not exist yet.',
  cursor_malformed: 'The cursor is not a whole number.',
  cursor_trimmed: 'The reader asked to resume before the earliest message still kept.',
  envelope_malformed: 'A line of the stream is not a valid envelope.',
  envelope_unsplittable: 'The fields that must be on every message leave no room for content.',
  forbidden: 'The caller may not do this, or does not come from where the server allows.',
  format_invalid: 'A format of the segment parser cannot work as it is defined.',
  frame_too_large: 'An unfinished frame grew past the limit.',
  internal: 'Something failed that is not the caller’s fault.',
  lease_lost: 'Another writer has taken over this run.',
  log_replaced: 'The session has another log than the one that was read, or none any more.',
  log_truncated: 'The store has lost messages of this session.',
  method_not_allowed: 'The path is known, but not with this method.',
  model_failed: 'The model’s API refused the request or failed.',
  model_interrupted: 'The model’s stream ended before its message did.',
  not_found: 'There is nothing under that id.',
  overloaded: 'The server has as much to do as it may; it helps to wait.',
  payload_too_large: 'The body of the request is larger than the server takes.',
  prompt_unsent: 'A prompt did not reach the server, and was not sent again.',
  protocol_violation: 'A stream breaks a rule of the protocol.',
  recording_malformed: 'A file is no recording, or a damaged one.',
  request_timeout: 'The body of the request did not come in time.',
  store_unavailable: 'What is stored cannot be read or written for now.',
  stream_truncated: 'A stream ended without [DONE].',
  too_many_requests: 'The caller has as much under way as one caller may.',
  unauthorized: 'The request lacks the token that the server asks for.',
  unsupported: 'This is known but not offered here.',
  unsupported_media_type: 'The body of the request is of a type that is not taken here.',
} as const

/** The closed set of codes that {@link MillraceError} may carry. */
export type ErrorCode = keyof typeof errorCodes
