// Made by openapi-typescript 7.13.0 from an OpenAPI document of a campaign service, then formatted.

export interface paths {
  '/campaigns/{campaignId}/optimizations': {
    parameters: {
      query?: never
      header?: never
      path: {
        campaignId: string
      }
      cookie?: never
    }
    get: operations['listOptimizations']
    put?: never
    post: operations['createOptimization']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/campaigns/{campaignId}/optimizations/{optimizationId}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getOptimization']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/llm/completions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['complete']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ping': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Pong. */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': string
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
export type webhooks = Record<string, never>
export interface components {
  schemas: {
    Optimization: {
      id: string
      goal: string
      status: string
      trace?: {
        correlationId: string
        requestId: string
      }
    }
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
export type $defs = Record<string, never>
export interface operations {
  listOptimizations: {
    parameters: {
      query: {
        limit: number
        goal?: string[]
      }
      header?: never
      path: {
        campaignId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Optimization'][]
        }
      }
    }
  }
  createOptimization: {
    parameters: {
      query?: never
      header: {
        'X-Region': string
      }
      path: {
        campaignId: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': {
          /** @enum {string} */
          goal: 'ctr' | 'conversions'
          budget?: number
        }
      }
    }
    responses: {
      /** @description Made. */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Optimization']
        }
      }
      /** @description Clarify. */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/vnd.agentic.clarification+json': Record<string, never>
        }
      }
    }
  }
  getOptimization: {
    parameters: {
      query?: never
      header?: never
      path: {
        campaignId: string
        optimizationId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description One. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Optimization']
        }
      }
    }
  }
  complete: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': {
          prompt?: string
        }
      }
    }
    responses: {
      /** @description A stream. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/event-stream': string
        }
      }
    }
  }
}
