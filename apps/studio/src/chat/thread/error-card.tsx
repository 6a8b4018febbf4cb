import { readField, readString } from '../../json/index.ts'
import { AlertIcon } from '../../ui/index.ts'
import { VisibleText } from '../../ui/text/index.ts'

/** Titles of errors by type or code. */
const titles: Readonly<Record<string, string>> = {
  api_error: 'The model’s API failed',
  overloaded_error: 'The model is overloaded',
  rate_limit_error: 'Too many requests',
  authentication_error: 'The model’s API did not accept the key',
  permission_error: 'The key may not use this model',
  invalid_request_error: 'The model’s API did not accept the request',
  model_interrupted: 'The model’s answer was cut off',
  model_failed: 'The model failed',
}

/** Shows an error of a run. */
export function ErrorCard({ error }: { readonly error: unknown }) {
  const details = readField(error, 'error') ?? error
  const type = readString(details, 'type') ?? ''
  const code = readString(details, 'code') ?? ''
  const retriable = readField(details, 'retriable') === true
  return (
    <section className="error-card" aria-label="The run failed">
      <AlertIcon />
      <div>
        <strong>{titles[type] ?? titles[code] ?? 'The run failed'}</strong>
        <p>
          <VisibleText text={readString(details, 'message') ?? 'The server gave no reason.'} />
        </p>
        <p className="muted">
          {retriable ? 'Asking again may help.' : 'Asking again will probably fail again.'}
          {code && (
            <>
              {' '}
              <code>{code}</code>
            </>
          )}
        </p>
      </div>
    </section>
  )
}
