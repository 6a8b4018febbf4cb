import type { ApiError } from '../routes/api-error.ts'

/** The API versions that the emulator accepts; their streams are alike. */
export const apiVersions = { earlier: '2023-06-01', later: '2026-10-21' } as const

/** Returns an error if a required header is missing or invalid. */
export function findHeaderProblem(headers: Headers): ApiError | undefined {
  const key = headers.get('x-api-key') ?? bearerOf(headers) ?? ''
  if (key.trim() === '') {
    const message =
      'A key is missing: send x-api-key or Authorization: Bearer. Any key will do here.'
    return { type: 'authentication_error', message }
  }
  const version = headers.get('anthropic-version')
  const versions: readonly (string | null)[] = Object.values(apiVersions)
  if (versions.includes(version)) return undefined
  const message = `anthropic-version: must be ${versions.join(' or ')}`
  return { type: 'invalid_request_error', message }
}

function bearerOf(headers: Headers): string | undefined {
  return /^Bearer\s+(.*)$/i.exec(headers.get('authorization') ?? '')?.[1]
}
