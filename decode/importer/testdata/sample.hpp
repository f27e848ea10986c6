// A message in the style of serialize functions: one template reads and writes.
#pragma once
#include <cstdint>

const int MaxItems = 1 << 3;
#define MAX_NAME 20
static constexpr float MaxSpeed = 25.5f;

enum class Stance { Standing, Crouched, Prone };

struct Vector
{
    float x, y, z;

    template <typename Stream> bool Serialize( Stream & stream )
    {
        serialize_compressed_float( stream, x, -100.0f, 100.0f, 0.01f ); // along
        serialize_compressed_float( stream, y, -100.0f, 100.0f, 0.01f );
        serialize_float( stream, z );
        return true;
    }
};

struct Item
{
    uint32_t kind;
    bool rare;
    template <typename Stream> bool Serialize( Stream & stream )
    {
        serialize_bits( stream, kind, 12 );
        serialize_bool( stream, rare );
        return true;
    }
};

// What a player tells the server.
struct PlayerMessage : public Message
{
    uint16_t m_sequence;
    int m_health;
    bool m_moving;
    Vector m_position, m_velocity;
    char m_name[MAX_NAME];
    int m_itemCount;
    Item m_items[MaxItems];
    uint8_t m_token[8];
    int m_scores[3];

    PlayerMessage() : m_sequence( 0 ), m_health( 100 ) {}

    template <typename Stream> bool Serialize( Stream & stream )
    {
        // Which one it is.
        serialize_bits( stream, m_sequence, 16 );
        if ( !serialize_int( stream, m_health, 0, 100 ) )
            return false;
        serialize_object( stream, m_position );
        serialize_bool( stream, m_moving );
        if ( m_moving )
        {
            serialize_object( stream, m_velocity );
        }
        else
            serialize_bits( stream, m_idle, 7 );
        bool has_name = m_name[0] != 0;
        serialize_bool( stream, has_name );
        if ( has_name ) {
            serialize_string( stream, m_name, sizeof( m_name ) );
        }
        serialize_int( stream, m_itemCount, 0, MaxItems );
        for ( int i = 0; i < m_itemCount; ++i )
        {
            serialize_object( stream, m_items[i] );
        }
        for ( int i = 0; i < 3; ++i )
            serialize_int( stream, m_scores[i], -Limit, Limit );
        serialize_align( stream );
        serialize_bytes( stream, m_token, 8 );
        if ( Stream::IsWriting ) {
            m_health = 3;
        }
        if ( Stream::IsReading && !serialize_extra( stream ) )
            return false;
        while ( more ) { serialize_bool( stream, more ); }
        serialize_wstring( stream, m_title, 10 );
        SerializeRest( stream, m_rest );
        serialize_check( stream );
        return true;
    }

    YOJIMBO_VIRTUAL_SERIALIZE_FUNCTIONS();
};
