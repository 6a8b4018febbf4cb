import type { ModelFailure } from '../../../events/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'
import { type FailureRules, toRequestFailure as toFailure } from '../../stream/index.ts'

/** Transient error types: the same request may succeed later. */
const transientTypes: ReadonlySet<string> = new Set([
  'api_error',
  'overloaded_error',
  'rate_limit_error',
  'timeout_error',
])

/** Permanent error codes, even if type or status indicate otherwise. */
const permanentCodes: ReadonlySet<string> = new Set(['enforced_spend_limit_reached'])

const rules: FailureRules = {
  readError({ message, error: body }) {
    const given = isJsonObject(body) && isJsonObject(body['error']) ? body['error'] : {}
    return {
      type: textOr(given['type'], 'http_error'),
      message: textOr(given['message'], message),
      isPermanent: isPermanent(body),
      ...detailsOf(given),
    }
  },
  noKey: {
    pattern: /^Could not resolve authentication method/,
    message: 'There is no key for the model’s API; set ANTHROPIC_API_KEY or pass `apiKey`.',
  },
}

/** Converts an error event of the stream to a failure. */
export function toStreamFailure(event: JsonObject): ModelFailure {
  const error = isJsonObject(event['error']) ? event['error'] : {}
  const type = textOr(error['type'], 'unknown_error')
  const message = textOr(error['message'], 'The model’s API reported an error without a message.')
  const retriable = transientTypes.has(type) && !isPermanent(event)
  const requestId = textOr(event['request_id'], '')
  return { type, message, retriable, ...(requestId !== '' && { requestId }), ...detailsOf(error) }
}

/** Returns the fields of an error besides its type and message. */
function detailsOf({
  type: _type,
  message: _message,
  details: given,
  ...rest
}: JsonObject): Pick<ModelFailure, 'details'> {
  const details = { ...rest, ...(isJsonObject(given) ? given : {}) }
  return Object.keys(details).length > 0 ? { details } : {}
}

/** Converts an exception of the SDK to a failure. */
export function toRequestFailure(error: unknown): ModelFailure {
  return toFailure(error, rules)
}

/** Checks whether an error body has a permanent cause. */
export function isPermanent(body: unknown): boolean {
  if (!isJsonObject(body) || !isJsonObject(body['error'])) return false
  const details = body['error']['details']
  return isJsonObject(details) && permanentCodes.has(textOr(details['error_code'], ''))
}

function textOr(value: JsonValue | undefined, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback
}
