/** Why an address cannot be reached, in words, with what to do. */
interface Explained {
  readonly seen: string
  readonly why: string
}

const explanations: Readonly<Record<string, Explained>> = {
  ENOTFOUND: {
    seen: 'Nobody knows the name',
    why: 'Check the spelling, and that the DNS record is there: a new one may take some minutes.',
  },
  EAI_AGAIN: {
    seen: 'The name could not be looked up',
    why: 'This machine cannot reach its DNS server; check its network.',
  },
  ECONNREFUSED: {
    seen: 'The connection was refused',
    why: 'Nothing listens there: start the server or the proxy, and check the port and the firewall.',
  },
  ECONNRESET: {
    seen: 'The connection was closed without an answer',
    why: 'A firewall, or a proxy whose server is gone, hung up; an https:// port that was asked over http:// does so too.',
  },
  EHOSTUNREACH: {
    seen: 'There is no way to that address',
    why: 'Check the network between here and there: routes, VPN, firewall.',
  },
  ETIMEDOUT: {
    seen: 'No answer came in time',
    why: 'A firewall may drop what it does not like; check that the port is open from here.',
  },
  CERT_HAS_EXPIRED: {
    seen: 'The certificate has expired',
    why: 'Browsers refuse it: renew it, and reload the proxy so that it takes the new one.',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    seen: 'The certificate is for another name',
    why: 'Browsers refuse it: get one for this name, or use the name that it is for.',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    seen: 'The certificate is signed by itself',
    why: 'Browsers refuse it. If it is meant, name it in NODE_EXTRA_CA_CERTS and try again.',
  },
  SELF_SIGNED_CERT_IN_CHAIN: {
    seen: 'The certificate is signed by an authority that is not known here',
    why: 'If that is your own, name its certificate in NODE_EXTRA_CA_CERTS and try again.',
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    seen: 'The chain of certificates is not whole',
    why: 'The proxy must send the intermediate certificates too: give it the full chain.',
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    seen: 'The port does not speak TLS',
    why: 'Ask with http://, or put the certificate on the port that you ask.',
  },
  HPE_INVALID_CONSTANT: {
    seen: 'The answer is not HTTP',
    why: 'Ask with https://, or check the port.',
  },
}

/** Codes that say the same as another one. */
const aliases: Readonly<Record<string, string>> = {
  ABORT_ERR: 'ETIMEDOUT',
  TimeoutError: 'ETIMEDOUT',
  ENETUNREACH: 'EHOSTUNREACH',
  EPIPE: 'ECONNRESET',
  EPROTO: 'ERR_SSL_WRONG_VERSION_NUMBER',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'ERR_SSL_WRONG_VERSION_NUMBER',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  HPE_INVALID_HEADER_TOKEN: 'HPE_INVALID_CONSTANT',
}

/** Tells why a request failed before there was an answer, for people. */
export function explainFailure(error: unknown): Explained {
  const code = codeOf(error)
  const explained = explanations[aliases[code] ?? code]
  if (explained !== undefined) return explained
  const message = error instanceof Error ? error.message : String(error)
  return { seen: `No answer: ${message.slice(0, 200)}`, why: 'Check the address and the network.' }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
