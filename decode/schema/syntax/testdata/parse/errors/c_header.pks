#pragma once //! there is no preprocessor; remove the line
#include <cstdint> //! there is no preprocessor; write `import "stun.pks"`
struct Player { //! the file does not say its protocol
    uint8_t id; //! the name comes first, and no `;` comes after a field; write `id uint8`
    float x, y; //! the name comes first, and no `;` comes after a field; write `x float32`
    char name[16]; //! the name comes first, and no `;` comes after a field; write `name char(16)`
    Vector pos; uint8_t hp; //! write `pos Vector` //! write `hp uint8`
    std::string nick; //! no semicolons //! there are no namespaces
}; //! no semicolons
